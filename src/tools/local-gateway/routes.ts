/** Responds to the requests that it handles; `undefined` for all others. */
export type Routes = (request: Request) => Promise<Response> | undefined;

/** Tries routes one after the other; the first that handles the request responds. */
export function inOrder(...all: readonly Routes[]): Routes {
	return (request) => {
		for (const routes of all) {
			const response = routes(request);
			if (response !== undefined) return response;
		}
		return undefined;
	};
}
