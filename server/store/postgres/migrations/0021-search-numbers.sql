-- What search engines tell of a site, as it was imported: no count has it.
create table search_numbers (
  project int not null references projects (id) on delete cascade,
  -- search-console, bing, bing-ai
  tool text collate "C" not null,
  -- site, page, query, country, device
  kind text collate "C" not null,
  -- The same day, or a range that is told as a whole, both ends inclusive.
  first_day int not null,
  last_day int not null,
  -- Empty: the site.
  name text collate "C" not null,
  clicks bigint not null,
  impressions bigint not null,
  -- Hundredths, added up over impressions; null: not told.
  positions bigint,
  citations bigint not null,
  -- Cited pages of the site on a day; null: not told.
  pages bigint,
  primary key (project, tool, kind, last_day, first_day, name)
);
