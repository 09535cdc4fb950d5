import { createLocalGateway } from "messaging-gateway/testing";
import { gatewayHandlers } from "messaging-gateway/testing/msw";
import { expect, test, vi } from "vitest";
import { catchError } from "../../support/catch-error.ts";

// As version 1 looks from here.
vi.mock("msw", () => ({ rest: {}, http: undefined, HttpResponse: undefined }));

test("an MSW before version 2 is named, with what is needed", () => {
	const error = catchError(() => gatewayHandlers(createLocalGateway()));
	expect(error).toMatchObject({ name: "ConfigurationError", code: "configuration" });
	expect(String(error)).toContain("needs msw 2 or later");
});
