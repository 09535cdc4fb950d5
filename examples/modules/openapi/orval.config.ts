export default {
	gateway: {
		input: "openapi.json",
		output: {
			target: "orval.ts",
			client: "fetch",
			urlEncodeParameters: true,
			override: { mutator: { path: "./orval-fetch.ts", name: "orvalFetch" } },
		},
	},
};
