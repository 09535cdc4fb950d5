/** The last words of every error that the command can look into. */
export const ASK_DOCTOR = ". `npx messaging-gateway doctor` finds out why";
