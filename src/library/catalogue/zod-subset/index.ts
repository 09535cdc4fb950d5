/**
 * The part of zod/mini that the catalogue uses, under zod's names. In the bundles of the library and the console it takes
 * the place of `zod/mini`: it finds the same issues, without zod's size and start. What the catalogue uses and this lacks,
 * name or argument, fails `npm run typecheck`; add it with zod's behaviour, to which `test/contract/zod-subset.test.ts`
 * compares it.
 */
export * from "./checks.ts";
export * from "./schemas.ts";
export type { output, ZodMiniType } from "./type.ts";
