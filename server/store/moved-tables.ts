/** A value as PostgreSQL writes it as text. */
export type MovedCell = string | null;

export type MovedRow = readonly MovedCell[];

/** What is kept, as tables in the order in which they can be filled: columns by their SQL types. */
export const movedTables = {
  projects: {
    ...{ id: 'int', public_id: 'text', settings: 'json', created_at: 'text' },
    ...{ sealed_through: 'int', last_name: 'int' },
  },
  keys: {
    ...{ id: 'text', hash: 'text', name: 'text', scope: 'text', project: 'int', created_at: 'text' },
    ...{ last_used_on: 'text', expires_at: 'text', networks: 'text' },
    ...{ maker_kind: 'text', maker_id: 'text', maker_name: 'text' },
  },
  links: { id: 'text', project: 'int', kind: 'text', token: 'text', created_at: 'text' },
  secrets: { project: 'int', name: 'text', sealed: 'bytea' },
  administrator: { id: 'int', password: 'text', setup: 'text', setup_expires_at: 'bigint' },
  sessions: { hash: 'text', created_at: 'bigint', used_at: 'bigint' },
  users: {
    ...{ id: 'text', name: 'text', password: 'text', link: 'text', link_expires_at: 'bigint' },
    created_at: 'text',
  },
  roles: { user_id: 'text', project: 'int', role: 'text' },
  second_factors: { user_id: 'text', secret: 'bytea', last_step: 'bigint', recovery_codes: 'text' },
  sign_ons: { issuer: 'text', subject: 'text', user_id: 'text' },
  user_sessions: { hash: 'text', user_id: 'text', created_at: 'bigint', used_at: 'bigint' },
  audit: {
    ...{ id: 'int', at: 'bigint', actor_kind: 'text', actor_id: 'text', actor_name: 'text' },
    ...{ action: 'text', project_id: 'text', subject: 'text', changes: 'text' },
  },
  loaded_catalogue: { id: 'int', version: 'int', signed: 'text' },
  days: { id: 'int', project: 'int', day: 'int', salt: 'bytea', forget_at: 'bigint' },
  names: { project: 'int', id: 'int', what: 'int', parent: 'int', text: 'text', searchable: 'text' },
  new_names: { day: 'int', what: 'int', names: 'int' },
  name_takers: { day: 'int', what: 'int', kind: 'text', taker: 'text', names: 'int' },
  counts: {
    ...{ project: 'int', span: 'int', day: 'int', what: 'int', parent: 'int', name: 'int' },
    ...{ human_visitors: 'bigint', ai_visitors: 'bigint', visitors: 'bigint' },
    ...{ human_views: 'bigint', ai_views: 'bigint' },
  },
  dropped: { project: 'int', day: 'int', reason: 'text', family: 'text', hits: 'bigint' },
  name_caps: {
    ...{ project: 'int', day: 'int', what: 'int', cap: 'text', kind: 'int', client: 'text' },
    views: 'bigint',
  },
  tallies: {
    ...{ project: 'int', tally: 'int', day: 'int', subject: 'text', name: 'text', hits: 'bigint' },
    amount: 'bigint',
  },
  seen: { day: 'int', visitor: 'bigint', sightings: 'int[]' },
  visit_views: {
    ...{ day: 'int', human_views: 'int', ai_views: 'int' },
    ...{ visitors: 'bigint[]', views: 'bigint[]', origins: 'bigint[]' },
  },
  logs: {
    ...{
      id: 'int',
      project: 'int',
      head_length: 'int',
      head_hash: 'bytea',
      bytes: 'bigint',
      lines: 'bigint',
    },
  },
  imported_days: { project: 'int', day: 'int', human_views: 'bigint', ai_views: 'bigint', last_at: 'bigint' },
  jobs: {
    ...{ id: 'int', public_id: 'text', project: 'int', status: 'text', repository: 'text', ref: 'text' },
    ...{ model: 'text', base_branch: 'text', branch: 'text', pr_link: 'text', failure: 'text' },
    ...{ created_at: 'bigint', archived_at: 'bigint', active_at: 'bigint', last_event: 'int' },
    ...{ started_by: 'text', reverts: 'text' },
  },
  turns: {
    ...{ job: 'int', number: 'int', prompt: 'text', phase: 'text', attempt: 'int', created_at: 'bigint' },
    ...{ due_at: 'bigint', leased: 'boolean', fence: 'int', record: 'text', branch: 'text' },
    ...{ next_message: 'int', resumes_at: 'text', steps: 'int', input_tokens: 'bigint' },
    ...{ output_tokens: 'bigint', cached_tokens: 'bigint', cost: 'bigint' },
  },
  events: { job: 'int', number: 'int', turn: 'int', at: 'bigint', type: 'text', data: 'text' },
  messages: { job: 'int', turn: 'int', position: 'int', message: 'text' },
  job_images: { job: 'int', number: 'int', turn: 'int', name: 'text', type: 'text', content: 'bytea' },
  heard_comments: { job: 'int', key: 'text', state: 'text' },
  uses: { project: 'int', route: 'text', at: 'bigint' },
  idempotency_keys: {
    ...{ project: 'int', route: 'text', key: 'text', request_hash: 'text', job: 'int', at: 'bigint' },
  },
  project_rounds: { project: 'int', round: 'bigint' },
  site_looks: {
    ...{ project: 'int', host: 'text', due_at: 'bigint', fetched_at: 'bigint', trouble: 'text' },
  },
  robots: { project: 'int', known_at: 'bigint', host: 'text', status: 'text', text: 'text' },
  sitemaps: { project: 'int', host: 'text', fetched_at: 'bigint', pages: 'text' },
  marks: {
    ...{ project: 'int', id: 'text', day: 'int', kind: 'text', text: 'text', touched: 'text', url: 'text' },
    created_at: 'bigint',
  },
  rule_days: { project: 'int', day: 'int', version: 'int' },
  search_numbers: {
    ...{ project: 'int', tool: 'text', kind: 'text', first_day: 'int', last_day: 'int', name: 'text' },
    ...{ clicks: 'bigint', impressions: 'bigint', positions: 'bigint', citations: 'bigint', pages: 'bigint' },
  },
  told: { project: 'int', key: 'text', at: 'bigint' },
  deliveries: {
    ...{ id: 'text', project: 'int', kind: 'text', title: 'text', channel: 'text', receiver: 'text' },
    ...{ letter: 'text', created_at: 'bigint', attempts: 'int', due_at: 'bigint', sent_at: 'bigint' },
    trouble: 'text',
  },
  automations: { project: 'int', id: 'text', settings: 'text', created_at: 'bigint', on_since: 'bigint' },
  automation_runs: {
    ...{ project: 'int', automation: 'text', key: 'text', at: 'bigint', job: 'text', reason: 'text' },
  },
  receipts: { project: 'int', key: 'text', request_hash: 'text', dropped: 'text', at: 'bigint' },
} as const satisfies Record<string, Record<string, string>>;

export type MovedTable = keyof typeof movedTables;

/** As many as fit into memory: an image may have a megabyte. */
export const rowsAtATime = (table: MovedTable) => (table === 'job_images' ? 20 : 5_000);

export const movedTableNames = Object.keys(movedTables) as MovedTable[];

/** Columns that hold numbers of a project's names; 0: none. An engine may give names other numbers than another. */
export const namedColumns: { readonly [Table in MovedTable]?: readonly string[] } = {
  names: ['id', 'parent'],
  counts: ['parent', 'name'],
};

/** All that a database keeps, while nobody else uses it. */
export interface MoveSource {
  /** Of the key that all is encrypted with; null: that is not known here. */
  readonly instance: string | null;
  /** Rows in no particular order, some at a time. */
  read(table: MovedTable): AsyncIterable<MovedRow[]> | Iterable<MovedRow[]>;
  close(): Promise<void> | void;
}

/** An empty database, which no server uses until `finish`. */
export interface MoveTarget extends Omit<MoveSource, 'instance'> {
  add(table: MovedTable, rows: MovedRow[]): Promise<void>;
  /** @param instance of the key that all is encrypted with; undefined: there is none */
  finish(instance: string | undefined): Promise<void>;
}
