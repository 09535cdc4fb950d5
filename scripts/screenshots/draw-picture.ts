import type { Browser } from "playwright-core";

/** In flat colours, which stay small in a PNG. */
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="400" viewBox="0 0 640 400">
<rect width="640" height="400" fill="#cfe8f6"/>
<circle cx="520" cy="96" r="44" fill="#fbd27a"/>
<path d="M0 250Q150 170 320 240T640 200V400H0Z" fill="#a9cf9b"/>
<path d="M0 310Q220 260 640 300V400H0Z" fill="#7fb37a"/>
<g fill="none" stroke="#2d3440" stroke-width="8"><circle cx="210" cy="290" r="70"/><circle cx="430" cy="290" r="70"/></g>
<g fill="none" stroke="#cf3a36" stroke-width="11" stroke-linejoin="round" stroke-linecap="round">
<path d="M210 290 268 196H400L318 290H210M268 196 318 290M430 290 396 168"/></g>
<g stroke="#2d3440" stroke-width="10" stroke-linecap="round" fill="none"><path d="M268 196 258 168M236 166H284M396 168 384 150H430"/></g>
<circle cx="318" cy="290" r="15" fill="#2d3440"/>
</svg>`;

/** Draws the picture that is sent in the conversation. @returns a PNG. */
export async function drawPicture(browser: Browser): Promise<Uint8Array> {
	const page = await browser.newPage({ viewport: { width: 640, height: 400 } });
	await page.setContent(`<body style="margin:0">${DRAWING}`);
	const picture = await page.screenshot();
	await page.close();
	return new Uint8Array(picture);
}
