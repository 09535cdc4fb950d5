import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import dynalite from "dynalite";

/** An emulator of DynamoDB over HTTP, and the client of AWS for it. */
export interface DynamodbServer extends AsyncDisposable {
	readonly client: DynamoDB;
	/** What the client of another process reads. */
	readonly environment: Readonly<Record<string, string>>;
	/** Creates an empty table. @returns its name. */
	createTable(options?: TableOptions): Promise<string>;
}

export interface TableOptions {
	/** @default a new one */
	readonly name?: string;
	/** The name of its key. @default "key" */
	readonly key?: string;
	/** The key's type. @default "S" */
	readonly type?: "S" | "N";
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
		async createTable({ name = `records-${crypto.randomUUID()}`, key = "key", type = "S" } = {}) {
			await client.createTable({
				TableName: name,
				AttributeDefinitions: [{ AttributeName: key, AttributeType: type }],
				KeySchema: [{ AttributeName: key, KeyType: "HASH" }],
				BillingMode: "PAY_PER_REQUEST",
			});
			await untilActive(client, name);
			return name;
		},
		async [Symbol.asyncDispose]() {
			client.destroy();
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** Waits for a new table: until then it answers that it is missing. */
async function untilActive(client: DynamoDB, name: string): Promise<void> {
	for (;;) {
		const { Table } = await client.describeTable({ TableName: name });
		if (Table?.TableStatus === "ACTIVE") return;
	}
}
