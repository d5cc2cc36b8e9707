/** The text of the generated file. */
export function csvRowsModules(): Promise<string>;
