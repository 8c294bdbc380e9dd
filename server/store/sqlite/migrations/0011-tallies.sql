-- Sums by day that are no views (shared/tallies.ts): how often, and what is added up besides. A path of the site is a name.
create table tallies (
  project integer not null references projects (id) on delete cascade,
  -- Its number.
  tally integer not null,
  day integer not null,
  -- Fields with tabs between them, such as AI client and status.
  subject text not null,
  -- Empty: there is none.
  name text not null,
  hits integer not null,
  amount integer not null,
  primary key (project, tally, day, subject, name)
) strict, without rowid;
