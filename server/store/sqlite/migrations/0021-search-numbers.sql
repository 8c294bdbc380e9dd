-- What search engines tell of a site, as it was imported: no count has it.
create table search_numbers (
  project integer not null references projects (id) on delete cascade,
  -- search-console, bing, bing-ai
  tool text not null,
  -- site, page, query, country, device
  kind text not null,
  -- The same day, or a range that is told as a whole, both ends inclusive.
  first_day integer not null,
  last_day integer not null,
  -- Empty: the site.
  name text not null,
  clicks integer not null,
  impressions integer not null,
  -- Hundredths, added up over impressions; null: not told.
  positions integer,
  citations integer not null,
  -- Cited pages of the site on a day; null: not told.
  pages integer,
  primary key (project, tool, kind, last_day, first_day, name)
) strict, without rowid;
