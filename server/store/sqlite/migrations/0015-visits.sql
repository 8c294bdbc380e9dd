-- Views of open days, a row of each transaction: of which day's visitor (eight bytes), when (moment * 4 + kind) and of which
-- path (four bytes each), lowest byte first. From them come the pages on which visits began and ended; deleted with the
-- visitors of the day.
create table visit_views (
  day integer not null,
  number integer not null,
  human_views integer not null,
  ai_views integer not null,
  views blob not null,
  primary key (day, number)
) strict, without rowid;
