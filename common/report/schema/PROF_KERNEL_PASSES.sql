CREATE TABLE PROF_KERNEL_PASSES (
  -- {row KernelPassRow}
  -- {docs the launches whose passes were joined to one profile by `prof kernel --replay=rotate`; prof's own}
  -- Launches that made one pass of a profile each, where it is of several launches; prof's own. The
  -- metrics of one pass are of one launch. A pass that no launch has made has no row.
  profileId INTEGER NOT NULL,      -- {- profile} PROF_KERNEL_PROFILES.id
  pass INTEGER NOT NULL,           -- {- pass} from 0
  correlationId INTEGER NOT NULL,  -- {- correlation} of the launch, in the process of the profile
  invocation INTEGER NOT NULL      -- {- invocation} how many launches of this name the process had before
);
