import { isLoopback } from "../../../library/signing/loopback.ts";
import { describeProxy, type EnvironmentProxy } from "../../environment-proxy.ts";
import type { DiagnosisFinding, FindingDescription } from "./diagnosis.ts";
import type { Unresponded } from "./probe.ts";

/** Causes that are about the connection, which was made to the proxy. */
const OF_CONNECTION = ["dns_failed", "connection_refused", "host_unreachable", "connection_broken"];

/** Why a request through a proxy of the environment got no response, of which less is certain than without one. */
export function describeProxied(
	{ failure, where, url }: Unresponded,
	description: FindingDescription,
	proxy: EnvironmentProxy,
): FindingDescription {
	// Not a matter of the network.
	if (["port_blocked", "argument_rejected"].includes(description.cause)) return description;
	const { hostname } = new URL(url);
	if (!OF_CONNECTION.includes(description.cause)) {
		const message = `${description.message} The request went through ${describeProxy(proxy)}.`;
		return { ...description, certainty: "likely", message };
	}
	const { code } = failure;
	const status = /^Proxy response \((\d{3})\)/.exec(failure.rawMessage)?.[1];
	const reason =
		status === undefined
			? code === ""
				? ""
				: `: ${code}`
			: `, which responded with ${status} instead of connecting to it`;
	return {
		cause: "environment_proxy",
		certainty: "likely",
		message: `${where} got no response from ${hostname} through ${describeProxy(proxy)}${reason}.`,
		fix: isLoopback(hostname)
			? excludeLoopback(hostname)
			: `Check that the proxy is up and lets requests to ${hostname} pass; if the gateway can be reached without it, add ${hostname} to NO_PROXY.`,
	};
}

/** What failed through a proxy, once a request without it got a response from this machine. */
export function blameProxy(proxied: DiagnosisFinding, { host, hostname }: URL): DiagnosisFinding {
	return {
		...proxied,
		cause: "environment_proxy",
		certainty: "certain",
		message: `${proxied.message} Without the proxy ${host} responds.`,
		fix: excludeLoopback(hostname),
	};
}

/** That requests to this machine go through a proxy, although they were answered. */
export function noteProxy(hostname: string, proxy: EnvironmentProxy): DiagnosisFinding {
	return {
		cause: "environment_proxy",
		certainty: "likely",
		isBlocking: false,
		message: `Requests to ${hostname} go through ${describeProxy(proxy)}, which may be on another machine than this one.`,
		fix: excludeLoopback(hostname),
	};
}

function excludeLoopback(hostname: string): string {
	const names = new Set(["localhost", "127.0.0.1", hostname]);
	return `Set NO_PROXY=${[...names].join(",")} where your application runs: a proxy looks for ${hostname} on its own machine.`;
}
