import { readings } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { MessagingGateway } from "messaging-gateway";
for (const { name, options } of readings.filter((r) => r.options.keptConnections)) {
  const server = await listen({ ...options });
  const g = new MessagingGateway(server.clientOptions);
  const d = await g.diagnose({ probeBody: true });
  console.log(name, d.isHealthy, d.findings.map((f) => [f.cause]), d.checks.map(c=>`${c.probe} ${c.method} ${c.outcome}`));
  await server.close();
}
