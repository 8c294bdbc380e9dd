/**
 * Whose network an AI client came from that nothing proved: its operator's `own`, one where anybody may rent machines
 * (`rented`), `other`, or one that the database does not know.
 */
export const networkHints = ['own', 'rented', 'other', 'unknown'] as const;
