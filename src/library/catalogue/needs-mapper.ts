/** What is said of data that only a mapper can read. */
export const NEEDS_MAPPER =
	"is data for profileFromJson of messaging-gateway/maps: give the profile to it, and use what it returns";
