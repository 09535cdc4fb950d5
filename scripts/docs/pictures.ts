/** The pictures of docs/images that show figures, each drawn from a record alone: the same record, the same picture. */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { EChartsOption, LineSeriesOption } from "echarts";
import {
	type CaseRecord,
	findNamed,
	groupByFloor,
	median,
	type Role,
	rateOf,
	type TableRecord,
} from "../../bench/cases.ts";
import { formatCount, formatFigure } from "../../bench/format.ts";
import { readRun } from "../../bench/run.ts";

// All of it in one file, which loads in a fifth of the time.
const { init }: typeof import("echarts") = createRequire(import.meta.url)("echarts");

/** What is drawn of records, with what it says to who does not see it; the table of the first one is below it. */
const PICTURES = [
	{
		name: "tests",
		tables: ["test"],
		draw: drawBars("A test that sends and gets a webhook"),
		alt: "How long a test takes with the local gateway, with MSW and with a function by hand, as bars",
	},
	{
		name: "sending",
		tables: ["send-cpu", "sender-memory"],
		draw: drawBars("A server that sends a lot", ["Processor time of a send", "Memory of the process"]),
		alt: "The processor time of a send, and the memory of a process that sends, for each client, as bars",
	},
	{
		name: "start",
		tables: ["first-send", "first-webhook"],
		draw: drawBars("Start of a process", ["Until its first send", "Until its first verified webhook"]),
		alt: "How long a new process takes to its first send, and to its first verified webhook, as bars",
	},
	{
		name: "deliveries",
		tables: ["inbox", "sqlite", "redis"],
		draw: drawBars("Deliveries a second, 32 in flight", [
			"PostgreSQL, in a transaction",
			"SQLite, on disk",
			"Redis",
		]),
		alt: "The deliveries a second of a receiver with PostgreSQL, SQLite and Redis, and by hand, as bars",
	},
	{
		name: "weight",
		tables: ["size"],
		draw: drawBars("Weight of an import, minified and gzipped"),
		alt: "How many bytes an import of each package is, as bars",
	},
	{
		name: "receivers",
		tables: ["rates"],
		draw: ([table]: readonly TableRecord[]) =>
			table && drawLines("Events a second, over the number of receivers", table),
		alt: "The events a second that receivers keep up with, over their number, with each store, as lines",
	},
] as const;

/** The pictures of what was measured, by the name of the table above which they are. */
export function drawPictures(): Map<
	string,
	{ readonly path: string; readonly svg: string; readonly alt: string }
> {
	const all = ["speed", "stores"].flatMap((name) => readRun(`bench/results/${name}.json`).tables);
	return new Map(
		PICTURES.flatMap(({ name, tables, draw, alt }) => {
			const shown = tables.flatMap((table) => all.filter((other) => other.name === table));
			const svg = shown.length === tables.length ? draw(shown) : undefined;
			return svg === undefined ? [] : [[tables[0], { path: `images/${name}.svg`, svg, alt }]];
		}),
	);
}

/** Writes them for the guides. */
export function writePictures(pictures = drawPictures()): void {
	for (const { path, svg } of pictures.values()) writeFileSync(`docs/${path}`, svg);
}

/** A phone shows it at three quarters of its size, a page at its own: the letters stay readable. */
const WIDTH = 420;
const PANEL = 252;
const FONT = { fontSize: 13, fontFamily: "system-ui, sans-serif" };
const TEXT = { ...FONT, color: "var(--ink)" };
const ASIDE = { ...FONT, color: "var(--aside)" };
const RULES = { lineStyle: { color: "var(--rule)" } };
const HIDDEN = { show: false };
/** Above its bar. */
const NAME = { ...TEXT, inside: true, margin: 0, verticalAlign: "bottom" as const, padding: [0, 0, 8, 0] };
const LEGEND = {
	left: 16,
	top: 40,
	orient: "vertical",
	textStyle: ASIDE,
	itemWidth: 18,
	itemHeight: 10,
} as const;
const LINES = ["var(--ours)", "var(--second)", "var(--third)"];
const SYMBOLS = ["circle", "rect", "triangle"];

/** Light or dark as the reader's system is. The paper is the picture's own, so that it is readable on any page. */
const STYLE = `<style>
text { font: ${FONT.fontSize}px ${FONT.fontFamily} }
svg { --paper: #fff; --ink: #1a1f29; --aside: #566072; --rule: #d8dde5; --ours: #2456d6; --peer: #8b95a7; --second: #b5541c; --third: #187a52 }
@media (prefers-color-scheme: dark) {
svg { --paper: #181b21; --ink: #e8ebf0; --aside: #9aa4b5; --rule: #2e343f; --ours: #7da2ff; --peer: #7b8597; --second: #f0a36b; --third: #5fcf9c }
}
</style>`;

function render(title: string, height: number, option: EChartsOption): string {
	const chart = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height });
	const heading = { text: title, left: 12, top: 12, textStyle: { ...TEXT, fontSize: 15, fontWeight: 600 } };
	const titles = [heading, ...[option.title ?? []].flat()];
	chart.setOption({ animation: false, backgroundColor: "var(--paper)", ...option, title: titles });
	const svg = chart.renderToSVGString();
	chart.dispose();
	return (
		svg
			// What is left of interaction, and a count of all charts of the process.
			.replace(/<style >.*<\/style>\n/s, "")
			// The font of the style is that of nearly every text.
			.replaceAll(` style="font-size:${FONT.fontSize}px;font-family:${FONT.fontFamily};"`, "")
			.replace(/><\/(?:path|rect)>/g, "/>")
			.replace(/\bzr\d+-(c\d+)/g, "$1")
			.replace(/ (class="zr\d+-cls-\d+"|ecmeta_\w+="\w*"|pointer-events="\w+")/g, "")
			.replace(/>\n/, `>\n<title>${title}</title>\n${STYLE}\n`)
	);
}

const BAR = 40;

/** A panel for each table, with a bar for the median of each contender of its last case. */
function drawBars(title: string, headings: readonly string[] = []) {
	return (tables: readonly TableRecord[]): string => {
		let bottom = 44;
		const panels = tables.flatMap(({ cases, shows }, at) => {
			const place = cases.at(-1);
			if (place === undefined) return [];
			const heading = headings[at];
			const top = bottom + (heading === undefined ? 0 : 28);
			bottom = top + place.contenders.length * BAR + 12;
			return [{ ...place, shows, heading, top }];
		});
		return render(title, bottom, {
			title: panels.flatMap(({ heading, top }) =>
				heading === undefined ? [] : { text: heading, left: 12, top: top - 24, textStyle: ASIDE },
			),
			grid: panels.map(({ top, contenders }) => ({
				left: 16,
				right: 108,
				top,
				height: contenders.length * BAR,
			})),
			xAxis: panels.map((_, gridIndex) => ({
				type: "value",
				gridIndex,
				axisLabel: HIDDEN,
				splitLine: HIDDEN,
			})),
			yAxis: panels.map(({ contenders }, gridIndex) => ({
				...createCategories(contenders.map(({ name }) => name)),
				gridIndex,
				inverse: true,
				axisLine: HIDDEN,
				axisLabel: NAME,
			})),
			series: panels.map(({ contenders, unit, shows }, at) => ({
				type: "bar",
				xAxisIndex: at,
				yAxisIndex: at,
				barWidth: 12,
				data: contenders.map(({ role, costs }) => ({
					value: shows === "rate" ? 1e9 / median(costs) : median(costs),
					itemStyle: { color: role === "ours" ? "var(--ours)" : "var(--peer)" },
					label: {
						show: true,
						position: "right",
						...ASIDE,
						formatter: formatFigure(median(costs), unit, shows),
					},
				})),
			})),
		});
	};
}

/** A panel for what is compared with each floor, with a line for each contender over the cases. */
function drawLines(title: string, { cases }: TableRecord): string {
	const panels = cases.slice(0, 1).flatMap(groupByFloor);
	const isAlone = panels.length === 1;
	const places = panels.map((_, at) => ({
		left: at % 2 === 0 ? 12 : WIDTH / 2 + 6,
		top: 44 + (at >> 1) * PANEL,
	}));
	const legendHeight = 24 * Math.max(...panels.map(({ length }) => length));
	return render(title, 44 + Math.ceil(panels.length / 2) * PANEL, {
		legend: places.map((place, at) => ({
			...LEGEND,
			...place,
			data: panels[at]?.map(({ name }) => name) ?? [],
		})),
		grid: places.map(({ left, top }) => ({
			left,
			top: top + legendHeight + 8,
			width: isAlone ? WIDTH - 36 : WIDTH / 2 - 24,
			height: PANEL - legendHeight - 24,
			containLabel: true,
		})),
		xAxis: panels.map((_, gridIndex) => ({ ...createCategories(cases.map(nameLoad)), gridIndex })),
		yAxis: panels.map((_, gridIndex) => ({ ...VALUES, gridIndex })),
		series: panels.flatMap((panel, axis) =>
			panel.map(({ name, role }, at) => ({
				...createLine(name, at, role),
				xAxisIndex: axis,
				yAxisIndex: axis,
				data: cases.map((place) => rateOf(findNamed(place.contenders, name))),
			})),
		),
	});
}

/** The number with which the name of a case begins. */
function nameLoad({ name }: CaseRecord): string {
	return String(Number.parseInt(name, 10));
}

const VALUES = {
	type: "value" as const,
	axisLabel: { ...ASIDE, formatter: (value: number) => formatCount(value) },
	splitLine: RULES,
	splitNumber: 4,
};

function createCategories(data: string[]) {
	return { type: "category" as const, data, axisLabel: ASIDE, axisLine: RULES, axisTick: HIDDEN };
}

function createLine(name: string, at: number, role: Role): LineSeriesOption {
	const color = (role === "ours" && LINES[at]) || "var(--peer)";
	const symbol = SYMBOLS[at] ?? "circle";
	return { name, type: "line", symbol, symbolSize: 7, lineStyle: { width: 2, color }, itemStyle: { color } };
}
