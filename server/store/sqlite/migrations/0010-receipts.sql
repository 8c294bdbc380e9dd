-- Batches of hits that were counted and may be sent again under their key. Key and request are hashes.
create table receipts (
  project integer not null references projects (id) on delete cascade,
  key text not null,
  request_hash text not null,
  -- JSON: its hits that were not counted.
  dropped text not null,
  -- Milliseconds since 1970.
  at integer not null,
  primary key (project, key)
) strict, without rowid;
create index receipts_by_time on receipts (at);
