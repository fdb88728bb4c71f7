"""Settings: YAML groups and words of the command line, composed Hydra's way and read into typed fields.

    model=NAME           a YAML file of the group `model`, a backend with a model (openai/gpt-audio), or a URL
    model.FIELD=VALUE    a field of the model
    runtime=NAME         a YAML file of the group `runtime`: what models of one backend share on one machine
    eval=NAME            a YAML file of the group `eval`: settings of a run and its benchmark that belong together
    noise=[20,10,0]      as condition=[plain,noise:20,noise:10,noise:0]
    FIELD=VALUE          a field of the run where it has one of that name, else of the benchmark

A user's own folder of YAML (`$EARMARK_CONF`, or `conf` or `configs` in the working folder) is laid over the packaged
one. Words of Hydra (`+key=value`, `eval.X=`, `runtime.X=`, `hydra.run.dir=`) are read by `data/hydra_words.py`.
"""
