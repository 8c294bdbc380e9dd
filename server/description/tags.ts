const sending = { name: 'Sending views', description: 'How to send views.', isPublic: true };
const projects = {
  name: 'Projects and keys',
  description: 'Sites, and the keys to read them.',
  isPublic: true,
};

const people = {
  name: 'People',
  description: 'Users of the installation, and the log of changes.',
  isPublic: true,
};

const server = {
  name: 'The server',
  description: 'Health, version and description of the API.',
  isPublic: true,
};

/** Groups of operations, by how their names begin; those of the dashboard stay out of the public description. */
export const tags: Readonly<Record<string, { name: string; description: string; isPublic: boolean }>> = {
  hits: sending,
  tracker: sending,
  connect: sending,
  analytics: {
    name: 'Reports',
    description:
      'Counts of a project, for a key that may read it. Rows are sorted by the chosen count, descending, and then by name.',
    isPublic: true,
  },
  jobs: { name: 'Jobs', description: 'Work for an agent that opens pull requests.', isPublic: true },
  projects: projects,
  exclusions: projects,
  keys: projects,
  deliveries: projects,
  users: people,
  audit: people,
  share: { name: 'Shared pages', description: 'Reports for anyone with the link.', isPublic: true },
  client: server,
  mcp: { name: 'Models', description: 'The Model Context Protocol.', isPublic: true },
  server,
  admin: { name: 'Dashboard', description: 'Operations that only the dashboard uses.', isPublic: false },
};

export function tagOf(operation: string): (typeof tags)[string] {
  const tag = tags[operation.split('.')[0] as string];
  if (!tag) throw new Error(`${operation} belongs to no group of server/description/tags.ts.`);
  return tag;
}
