import { Cluster, Redis } from "ioredis";
import { fromIoredis, fromNodeRedis, redisStore } from "messaging-gateway/stores/redis";
import { createWebhookHandler } from "messaging-gateway/webhooks";
import { createClient, createCluster } from "redis";

const scripting = [
	fromNodeRedis(createClient()),
	fromNodeRedis(createCluster({ rootNodes: [{ url: "redis://redis.example" }] })),
	fromIoredis(new Redis()),
	fromIoredis(new Cluster(["redis://redis.example"])),
];

export const handlers = scripting.map((redis) =>
	createWebhookHandler({
		store: redisStore(redis, { prefix: "app:" }),
		on: { status: () => undefined, unknown: () => undefined },
	}),
);
