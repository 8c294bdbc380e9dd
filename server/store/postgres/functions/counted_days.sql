create or replace function counted_days(p_shards int[], p_project int, out first int, out last int) language plpgsql stable as $$
declare
  v record;
begin
  select * into v from folded_days(p_shards, p_project);
  select least(v.first, min(day)), greatest(v.last, max(day)) into first, last
  from pending_counts where shard = any (p_shards) and project = p_project;
end $$;
