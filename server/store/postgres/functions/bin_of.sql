-- A live day has the partition of its date, which all projects share. Other days, which imports open, have that of the date
-- on which they are opened.
create or replace function bin_of(p_day int) returns int language sql stable
  as $$ select case when abs(p_day - today()) <= 3 then p_day else -today() end $$;
