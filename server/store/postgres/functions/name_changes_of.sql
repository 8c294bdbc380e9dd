-- By day, those of its project; null: the day is closed.
create or replace function name_changes_of(p_days int[]) returns int[] language plpgsql as $$
begin
  return array(
    select (select p.name_changes from days d join projects p on p.id = d.project where d.id = x.day and d.salt is not null)
    from unnest(p_days) with ordinality as x(day, place) order by x.place
  );
end $$;
