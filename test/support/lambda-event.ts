import type { APIGatewayProxyEventV2 } from "aws-lambda";

/** A request as AWS passes it to a function behind an HTTP API or a function URL (payload format 2.0). */
export async function toLambdaEvent(
	request: Request,
	{ isBase64Encoded }: { isBase64Encoded: boolean },
): Promise<APIGatewayProxyEventV2> {
	const body = Buffer.from(await request.arrayBuffer());
	const { pathname, host } = new URL(request.url);
	const time = new Date();
	return {
		version: "2.0",
		routeKey: "$default",
		rawPath: pathname,
		rawQueryString: "",
		// Header names come in lower case.
		headers: { ...Object.fromEntries(request.headers), host, "x-forwarded-proto": "https" },
		requestContext: {
			accountId: "anonymous",
			apiId: "url-id",
			domainName: host,
			domainPrefix: "url-id",
			http: {
				method: request.method,
				path: pathname,
				protocol: "HTTP/1.1",
				sourceIp: "192.0.2.1",
				userAgent: "",
			},
			requestId: crypto.randomUUID(),
			routeKey: "$default",
			stage: "$default",
			time: time.toUTCString(),
			timeEpoch: time.getTime(),
		},
		isBase64Encoded,
		...(body.length === 0 ? {} : { body: body.toString(isBase64Encoded ? "base64" : "utf8") }),
	};
}
