CREATE TABLE PROF_KERNEL_PASSES (
  -- {row KernelPassRow}
  -- {docs the launches whose passes `prof kernel --replay=rotate` or `application` joined to one profile; prof's own}
  -- Launches that made one pass of a profile each, where it is of several launches; prof's own. The
  -- metrics of one pass are of one launch. A pass that no launch has made has no row. With the mode
  -- "application" the launches are of runs of the program: pass 2 is of the third run.
  profileId INTEGER NOT NULL,      -- {- profile} PROF_KERNEL_PROFILES.id
  pass INTEGER NOT NULL,           -- {- pass} from 0
  correlationId INTEGER NOT NULL,  -- {- correlation} of the launch, in the process of the profile, or in that of the other run
  invocation INTEGER NOT NULL      -- {- invocation} how many launches of this name the process had before
);
