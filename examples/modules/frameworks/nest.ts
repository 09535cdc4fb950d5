/** Webhooks in Nest, with a handler that uses your services: its route runs before Nest's parser and its global guards. */
import "reflect-metadata";
import { readFile } from "node:fs/promises";
import { Inject, Injectable, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { MessagingGateway } from "messaging-gateway";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { keepUnknown } from "./keep-unknown.js";

@Injectable()
export class Conversations {
	constructor(@Inject(MessagingGateway) private readonly gateway: MessagingGateway) {}

	readonly webhooks = createWebhookHandler({
		store: memoryStore(),
		on: {
			inbound_message: ({ data }) => this.gateway.messages.markRead({ to: data.from }),
			unknown: keepUnknown,
		},
	});
}

async function createGateway(): Promise<MessagingGateway> {
	const secret = await readFile(process.env.APP_SECRET_FILE ?? "/run/secrets/app-secret", "utf8");
	return new MessagingGateway({ appSecret: secret.trim() });
}

@Module({ providers: [Conversations, { provide: MessagingGateway, useFactory: createGateway }] })
export class AppModule {}

const app = await NestFactory.create(AppModule);
app.use("/webhooks", toExpress(app.get(Conversations).webhooks));
await app.listen(3000);
