/** The tables of every database, unless the option `table` names another one. */
export const RECORDS_TABLE = "messaging_gateway_records";
export const SENDS_TABLE = "messaging_gateway_sends";
