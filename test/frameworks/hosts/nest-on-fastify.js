import "reflect-metadata";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { toFastify } from "messaging-gateway/webhooks/fastify";
import { webhooks } from "./webhooks.ts";

class AppModule {}
Module({})(AppModule);
const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false });
await app.register(toFastify(webhooks), { prefix: "/webhooks" });
await app.register(
	async (scope) => {
		scope.addHook("preHandler", async (request) => {
			request.body = {};
		});
		await scope.register(toFastify(webhooks));
	},
	{ prefix: "/mistaken" },
);
await app.listen(process.env.PORT, "127.0.0.1");
console.log("listening on");
