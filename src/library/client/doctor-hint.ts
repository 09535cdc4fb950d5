/** The end of every error message that `doctor` can explain. */
export const DOCTOR_HINT = ". `npx messaging-gateway doctor` finds out why";
