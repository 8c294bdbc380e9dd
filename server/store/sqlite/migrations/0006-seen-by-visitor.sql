-- Who was seen on what: a row for each visitor, with the names and kinds (1 human, 2 ai, 3 both) as numbers of four
-- bytes, lowest byte first: name * 4 + kinds. Name 0 is the site.
create table seen_by_visitor (
  day integer not null,
  visitor integer not null,
  sightings blob not null,
  primary key (day, visitor)
) strict, without rowid;

insert into seen_by_visitor
select day, visitor, unhex(group_concat(
  format('%02x%02x%02x%02x', sighting & 255, sighting >> 8 & 255, sighting >> 16 & 255, sighting >> 24 & 255), ''))
from (select day, visitor, name * 4 + kinds as sighting from seen order by day, visitor, name)
group by day, visitor;

drop table seen;
alter table seen_by_visitor rename to seen;

-- What each transaction saw anew on a day, in the order of time, until it is sorted into `seen`: its visitors, eight bytes each
-- and lowest byte first, and then as many sightings.
create table newly_seen (
  id integer primary key,
  day integer not null,
  visitors_and_sightings blob not null
) strict;

-- Who added the last rows to `newly_seen`, and so knows of all of them.
create table seen_holder (holder integer not null) strict;
insert into seen_holder values (0);
