import { MessagingGateway } from "messaging-gateway";
import { listen } from "messaging-gateway/testing/node";

await using server = await listen({ baseUrl: "https://gateway.example" }, { port: 0 });

export const gateway = new MessagingGateway(server.clientOptions);
