/** A text that depends on a number, by the forms that Intl.PluralRules knows. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
