alter function note_visits(
  int[], int[], int[], int[], int[], int[], int[], bigint[], bigint[], boolean[], bigint[], bytea[]
) set plan_cache_mode = force_custom_plan;
