import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import dynalite from "dynalite";

/** An emulator of DynamoDB over HTTP, and the client of AWS for it. */
export interface DynamodbServer extends AsyncDisposable {
	readonly client: DynamoDB;
	/** What the client of another process reads. */
	readonly environment: Readonly<Record<string, string>>;
	/** Creates an empty table. @param key - the name of its key, a string unless `type` is another one. @returns its name. */
	createTable(key?: string, type?: "S" | "N"): Promise<string>;
}

/** Starts an emulator. */
export async function startDynamodb(): Promise<DynamodbServer> {
	const server = dynalite({ createTableMs: 0 }).listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	const endpoint = `http://127.0.0.1:${port}`;
	const region = "eu-west-1";
	const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
	const client = new DynamoDB({ endpoint, region, credentials });
	return {
		client,
		environment: {
			AWS_ENDPOINT_URL_DYNAMODB: endpoint,
			AWS_REGION: region,
			AWS_ACCESS_KEY_ID: credentials.accessKeyId,
			AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
		},
		async createTable(key = "key", type = "S") {
			const TableName = `records-${crypto.randomUUID()}`;
			await client.createTable({
				TableName,
				AttributeDefinitions: [{ AttributeName: key, AttributeType: type }],
				KeySchema: [{ AttributeName: key, KeyType: "HASH" }],
				BillingMode: "PAY_PER_REQUEST",
			});
			return TableName;
		},
		async [Symbol.asyncDispose]() {
			client.destroy();
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
