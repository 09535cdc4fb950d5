/** Serves the handler of a Lambda function as a function URL would, with an emulator of DynamoDB. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { serve } from "@hono/node-server";
import { toLambdaEvent } from "../../test/support/lambda-event.ts";
import { startDynamodb } from "../../test/support/servers/dynamodb-server.ts";

const [folder = "."] = process.argv.slice(2);
const dynamodb = await startDynamodb();
Object.assign(process.env, dynamodb.environment, { TABLE_NAME: await dynamodb.createTable() });
const { handler } = await import(pathToFileURL(join(folder, "handler.ts")).href);

const respond = async (request: Request): Promise<Response> => {
	const { statusCode, headers, body } = await handler(
		await toLambdaEvent(request, { isBase64Encoded: true }),
	);
	return new Response(body, { status: statusCode, headers });
};

serve({ fetch: respond, hostname: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) }, ({ port }) =>
	console.log(`listening on port ${port}`),
);
