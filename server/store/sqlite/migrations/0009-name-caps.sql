-- How many of an open day's new names somebody brought in: a visitor (as in `seen`), a network (32 bits of a hash with the
-- day's salt), or an AI client (its name).
create table name_takers (
  day integer not null references days (id) on delete cascade,
  what integer not null,
  kind text not null,
  taker any not null,
  names integer not null,
  primary key (day, what, kind, taker)
) strict, without rowid;

-- Views that counted under (other), as no new name was taken in any more: by what they name, by whose part of the day's
-- names was used up (day, visitor, network, client), by the kind of view (1 human, 2 ai) and the AI client; '': none.
create table name_caps (
  project integer not null references projects (id) on delete cascade,
  day integer not null,
  what integer not null,
  cap text not null,
  kind integer not null,
  client text not null,
  views integer not null,
  primary key (project, day, what, cap, kind, client)
) strict, without rowid;
