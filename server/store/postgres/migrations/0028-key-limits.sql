alter table keys drop constraint keys_scope_check;
alter table keys add check (scope in ('admin', 'jobs', 'read', 'ingest'));
alter table keys
  -- Null: it has no end.
  add column expires_at text,
  -- JSON list of addresses and ranges that it may be used from; an empty one: from anywhere.
  add column networks text not null default '[]',
  -- Who made it, as in the audit list; null: not known. With a key, those that it made are revoked.
  add column maker_kind text,
  add column maker_id text collate "C",
  add column maker_name text;
