import { MessagingGateway } from "messaging-gateway";
import { profileFromJson, type RouteMap } from "messaging-gateway/maps";

const routes: RouteMap[] = [{ method: "POST" }, { when: { action: "remove" }, method: "DELETE" }];
export const profile = profileFromJson({ operations: { "messages.tapback": { routes } } });
export const gateway = new MessagingGateway({ profile });
