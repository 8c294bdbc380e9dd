-- Bots and spoofed AI clients are tallied by their family too.
create table dropped_by_family (
  project integer not null references projects (id) on delete cascade,
  day integer not null,
  reason text not null,
  family text not null,
  hits integer not null,
  primary key (project, day, reason, family)
) strict, without rowid;
insert into dropped_by_family select project, day, reason, '', hits from dropped;
drop table dropped;
alter table dropped_by_family rename to dropped;
