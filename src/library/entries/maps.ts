/**
 * Describes a gateway as data: routes, names, values, pages and events in JSON, without code.
 *
 * See [the profile](../../../docs/profile.md#describe-calls-as-data).
 * @module messaging-gateway/maps
 */
export type { EventMap } from "../catalogue/event-map.ts";
export type { OperationMap, RequestMap, ResponseMap, RouteMap } from "../catalogue/operation-map.ts";
export { ConfigurationError, isMessagingGatewayError, MessagingGatewayError } from "../errors.ts";
export { profileFromJson } from "../maps/profile-from-json.ts";
