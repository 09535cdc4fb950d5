import { type RunningServer, serve } from "../support/serve.ts";

/** Allows requests of pages of other origins. */
const CORS = {
	"Access-Control-Allow-Origin": "*",
	"Access-Control-Allow-Headers": "Authorization, Content-Type, X-App-Id, X-Nonce, X-Timestamp",
};

const SUCCESS = JSON.stringify({ ok: true, data: {} });

/**
 * Starts a server that responds by the first segment of the path: `/break` breaks off within its response, `/redirect`
 * leads to a success that no client should request, and `/hang` never responds.
 */
export function startTroubledServer(): Promise<RunningServer> {
	return serve(({ method, url = "" }, response) => {
		const [, trouble] = url.split("/");
		if (method === "OPTIONS") {
			response.writeHead(204, CORS).end();
		} else if (trouble === "break") {
			response.writeHead(202, { ...CORS, "Content-Type": "application/json", "Content-Length": "1000" });
			// A runtime may drop what arrives together with the break.
			response.write(SUCCESS.slice(0, 30), () => setTimeout(() => response.destroy(), 100));
		} else if (trouble === "redirect") {
			response.writeHead(302, { ...CORS, Location: "/success" }).end();
		} else if (trouble === "success") {
			response.writeHead(202, { ...CORS, "Content-Type": "application/json" }).end(SUCCESS);
		}
	});
}
