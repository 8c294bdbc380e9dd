-- What was told of a project, so that it is told once.
create table told (
  project int not null references projects (id) on delete cascade,
  -- Such as `digest weekly 2026-11-16`.
  key text collate "C" not null,
  -- Milliseconds since 1970.
  at bigint not null,
  primary key (project, key)
);

-- What is sent to one receiver, or was.
create table deliveries (
  id text collate "C" primary key,
  project int not null references projects (id) on delete cascade,
  kind text not null,
  title text not null,
  -- mail, webhook
  channel text not null,
  -- The address of a mail; empty for a webhook.
  receiver text collate "C" not null,
  -- JSON; empty once nothing is sent any more.
  letter text not null,
  created_at bigint not null,
  attempts int not null,
  -- When it is tried, or tried again; null: it never is again.
  due_at bigint,
  sent_at bigint,
  -- Why it was not sent when that was last tried.
  trouble text
);

create index deliveries_by_project on deliveries (project, created_at);
create index deliveries_by_due on deliveries (due_at) where due_at is not null;
