/** The project that a route of the dashboard is about. */
export const projectPath = '/v1/admin/projects/:projectId';

/** Settings with long lists, and private keys. */
export const maxBodyBytes = 256 * 1024;
