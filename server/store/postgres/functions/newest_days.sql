create or replace function newest_days() returns table (project int, day int) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select project, max(day)
  from (
    select project, day from newest_folded_days()
    union all
    select project, max(day) from pending_counts group by project
  ) d
  group by project;
end $$;
