/** Answers the requests that are its own, and leaves the others alone. */
export type Routes = (request: Request) => Promise<Response> | undefined;

/** Routes that are asked one after the other; the first that answers does. */
export function inOrder(...all: readonly Routes[]): Routes {
	return (request) => {
		for (const routes of all) {
			const answer = routes(request);
			if (answer !== undefined) return answer;
		}
		return undefined;
	};
}
