/** A process that runs tests for `npm run mutants -- --generated`: one change may keep it from ever ending. */
import process from "node:process";
import type { Question, Report } from "./messages.ts";
import { Session } from "./session.ts";

const [files = "[]", tests = "[]"] = process.argv.slice(2);
const session = await Session.open(JSON.parse(files), JSON.parse(tests), (number) =>
	report({ type: "file", number }),
);
process.on("message", (question: Question) => {
	respond(question).then(report, (error: Error) => report({ type: "error", message: error.message }));
});
process.once("disconnect", () => process.exit());
report({ type: "ready" });

async function respond(question: Question): Promise<Report> {
	if (question.type === "survey")
		return { type: "survey", changes: session.changes, survey: await session.survey() };
	return { type: "judged", ...(await session.judge(question.reach, question.isLoaded)) };
}

function report(message: Report): void {
	process.send?.(message);
}
