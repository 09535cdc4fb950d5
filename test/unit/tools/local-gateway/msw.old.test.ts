import { createLocalGateway } from "messaging-gateway/testing";
import { gatewayHandlers } from "messaging-gateway/testing/msw";
import { expect, test, vi } from "vitest";
import { catchError } from "../../../support/catch-error.ts";

// The exports of version 1.
vi.mock("msw", () => ({ rest: {}, http: undefined, HttpResponse: undefined }));

test("an MSW before version 2 is an error that names the needed version", () => {
	const error = catchError(() => gatewayHandlers(createLocalGateway()));
	expect(error).toMatchObject({ name: "ConfigurationError", code: "configuration" });
	expect(String(error)).toContain("needs msw 2 or later");
});
