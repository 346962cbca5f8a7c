"""Training: augmentation, nets and pipelines, fitting, export. Nothing here is imported at solving time."""
