/** Of jobs: they belong to the repository and its code host. */
export const jobSecretNames = ['forgeToken', 'githubAppKey', 'forgeWebhookSecret'] as const;

/** Kept apart from the settings of a project, encrypted, and never shown again. */
export const secretNames = [
  ...jobSecretNames,
  'repositoryTokens',
  'signingKey',
  'webhookUrl',
  'webhookSecret',
] as const;
export type SecretName = (typeof secretNames)[number];
