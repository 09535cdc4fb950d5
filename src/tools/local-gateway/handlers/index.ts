import type { Handlers } from "../run-operation.ts";
import type { World } from "../world.ts";
import { agentHandlers } from "./agents.ts";
import { analyticsHandlers } from "./analytics.ts";
import { chatHandlers } from "./chat.ts";
import { mappingHandlers } from "./mappings.ts";
import { sendHandlers } from "./send.ts";
import { serviceHandlers } from "./service.ts";

export function createHandlers(world: World): Handlers {
	return {
		...sendHandlers(world),
		...chatHandlers(world),
		...agentHandlers(world),
		...mappingHandlers(world),
		...analyticsHandlers(world),
		...serviceHandlers(world),
	};
}
