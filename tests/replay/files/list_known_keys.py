#!/usr/bin/env python3
"""Lists the keys of DeepSpeed's and transformers' configuration files, from the packages' source, which is not run.

    pip download --no-deps deepspeed==0.19.8 deepspeed==0.16.4 ...      # each in a folder of its own if pip refuses
    tests/replay/files/list_known_keys.py deepspeed-0.19.8.tar.gz deepspeed-0.16.4.tar.gz \\
        transformers-5.24.0-py3-none-any.whl transformers-4.57.6-py3-none-any.whl > tests/replay/files/known_keys.txt

Each line is a file's kind, the section, and a key: "ds_config zero_optimization stage" or "config.json llama
hidden_size"; "-" is the top level of a ds_config, and what all types of a config.json have. Sections that DeepSpeed
reads without a class of their own are listed flat, with the keys of all levels.
"""
import ast
import re
import sys
import tarfile
import zipfile

# DeepSpeed's classes of settings, and the section that each reads.
SECTIONS = {
    "DeepSpeedZeroConfig": "zero_optimization",
    "DeepSpeedZeroOffloadParamConfig": "zero_optimization.offload_param",
    "DeepSpeedZeroOffloadOptimizerConfig": "zero_optimization.offload_optimizer",
    "DeepSpeedZeroLeafModuleConfig": "zero_optimization.leaf_module",
    "ZenFlowConfig": "zero_optimization.zenflow",
    "DeepSpeedFP16Config": "fp16",
    "DeepSpeedBF16Config": "bf16",
    "CompileConfig": "compile",
    "TPTrainingConfig": "tensor_parallel",
    "TPConfig": "tensor_parallel.tp",
    "AutoEPConfig": "expert_parallel",
    "HybridEngineConfig": "hybrid_engine",
    "WeightQuantConfig": "weight_quantization",
    "BaseQuantConfig": "weight_quantization",
    "CommsLoggerConfig": "comms_logger",
    "TensorBoardConfig": "tensorboard",
    "WandbConfig": "wandb",
    "CSVConfig": "csv_monitor",
    "CometConfig": "comet",
    "DeepSpeedThroughputTimerConfig": "timers.throughput",
}
# Sections that are read by the names of constants, which begin so. The longest prefix counts.
PREFIXES = {
    "ACT_CHKPT_": "activation_checkpointing",
    "AIO_": "aio",
    "AUTOTUNING_": "autotuning",
    "MODEL_INFO": "autotuning",
    "CHECKPOINT_": "checkpoint",
    "LOAD_UNIVERSAL_": "checkpoint",
    "USE_NODE_LOCAL_STORAGE_": "checkpoint",
    "FLOPS_PROFILER_": "flops_profiler",
    "NEBULA_": "nebula",
    "EIGENVALUE_": "eigenvalue",
    "PLD_": "progressive_layer_drop",
    "SPARSE_": "sparse_attention",
    "SPARSE_PRUNING": "compression_training",
    "SPARSE_GRADIENTS": None,
    "TORCH_AUTOCAST_": "torch_autocast",
    "QUANTIZE_": "quantize_training",
    "CURRICULUM_LEARNING_": "data_efficiency",
    "CURRICULUM_": "curriculum_learning",
    "DATA_EFFICIENCY_": "data_efficiency",
    "DATA_SAMPLING": "data_efficiency",
    "DATA_ROUTING": "data_efficiency",
    "DYNAMIC_BATCHING": "data_efficiency",
    "RANDOM_LTD": "data_efficiency",
    "GRAD_ACCUM_DTYPE": "data_types",
    "PARAM_DTYPE": "data_types",
    "BUFFER_DTYPE": "data_types",
    "KEEP_IN_FP32_MODULES": "data_types",
    "SHARED_PARAMETERS": "compression_training",
    "DIFFERENT_GROUPS": "compression_training",
    "TECHNIQUE_": "compression_training",
    "LAYER_REDUCTION": "compression_training",
    "KEEP_NUMBER_LAYER": "compression_training",
    "MODULE_NAME_PREFIX": "compression_training",
    "TEACHER_LAYER": "compression_training",
    "OTHER_MODULE_NAME": "compression_training",
    "WEIGHT_QUANTIZ": "compression_training",
    "ACTIVATION_QUANTIZ": "compression_training",
    "ROW_PRUNING": "compression_training",
    "HEAD_PRUNING": "compression_training",
    "CHANNEL_PRUNING": "compression_training",
}
# Sections whose readers have all constants of a file, without a prefix.
FILES = {"deepspeed/elasticity/constants.py": "elasticity"}
TOP = ["param_dict", "ds_config", "config", "ds_config_dict", "self._param_dict"]
TOP_FILES = re.compile(
    r"deepspeed/(__init__|runtime/config|runtime/(zero|activation_checkpointing|tensor_parallel)/config|"
    r"runtime/precision_config|(comm|profiling|autotuning|datastates|nebula|utils)/config)\.py$")
# Attributes of transformers' class that its files do not have.
NOT_IN_FILES = {
    "_auto_class", "attribute_map", "base_config_key", "base_model_ep_plan", "base_model_fsdp_plan",
    "base_model_pp_plan", "base_model_tp_plan", "has_no_defaults_at_init", "sub_configs", "_pre_quantization_dtype"
}
# The types that Ringmark reads, and the folder of each.
TYPES = {
    "llama": "llama", "granite": "granite", "mistral": "mistral", "qwen2": "qwen2", "qwen3": "qwen3", "phi3": "phi3",
    "gemma": "gemma", "gemma2": "gemma2", "gemma3_text": "gemma3", "smollm3": "smollm3", "olmo2": "olmo2",
    "olmo3": "olmo3", "stablelm": "stablelm", "starcoder2": "starcoder2", "cohere": "cohere", "gpt_neox": "gpt_neox",
    "opt": "opt", "gpt2": "gpt2"
}


def sources(archive):
    """Yields each Python file's path, from the package's folder on, and its tree."""
    if archive.endswith(".whl"):
        package = zipfile.ZipFile(archive)
        names, read = package.namelist(), lambda name: package.read(name)
    else:
        package = tarfile.open(archive)
        names, read = package.getnames(), lambda name: package.extractfile(name).read()
    for name in names:
        path = name if archive.endswith(".whl") else name.split("/", 1)[-1]
        if path.endswith(".py") and re.match("deepspeed/(?!nvme|io/)|transformers/(models/.*/)?configuration_", path):
            yield path, ast.parse(read(name))


def text_of(node, constants):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return None, node.value
    if isinstance(node, ast.Name) and node.id in constants:
        return node.id, constants[node.id]
    return None, None


def uses_of_keys(tree):
    """Yields the container and the key of d[key], d.get(key), key in d, and get_scalar_param(d, key)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            yield node.value, node.slice
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            container = node.comparators[0]
            if isinstance(container, ast.Call) and isinstance(container.func, ast.Attribute):
                container = container.func.value  # key in d.keys()
            yield container, node.left
        elif isinstance(node, ast.Call) and node.args:
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
                yield node.func.value, node.args[0]
            elif isinstance(node.func, ast.Name) and node.func.id in (
                    "get_scalar_param", "get_dict_param", "get_list_param",
                    "get_communication_data_type") and len(node.args) > 1:
                yield node.args[0], node.args[1]
        elif isinstance(node, ast.FunctionDef) and node.name == "get_communication_data_type":
            yield ast.Name("param_dict"), node.args.defaults[0]


def section_of(constant):
    fitting = [prefix for prefix in PREFIXES if constant.startswith(prefix)]
    return PREFIXES[max(fitting, key=len)] if fitting else None


def fields(cls):
    """A class's fields with their aliases, as pydantic has them."""
    for item in cls.body:
        if not isinstance(item, ast.AnnAssign) or "ClassVar" in ast.unparse(item.annotation):
            continue
        yield item.target.id
        if isinstance(item.value, ast.Call):
            yield from (each.value.value for each in item.value.keywords if each.arg == "alias")


def defaults_of_dict(function, name):
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and node.targets[0].id == name:
            yield from (key.value for key in node.value.keys)


def keys_of_deepspeed(trees):
    constants, keys = {}, set()
    for path, tree in trees:
        of_file = {}
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(
                    node.value.value, str) and isinstance(node.targets[0], ast.Name):
                of_file[node.targets[0].id] = node.value.value  # a text of help may come before the name itself
                if FILES.get(path) and re.fullmatch("[a-z_]+", node.value.value):
                    keys.add((FILES[path], node.value.value))
            # Lists of keys that were taken out, with the reason.
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and isinstance(
                    node.targets[0], ast.Name) and node.targets[0].id.startswith("_REMOVED_"):
                section = "zero_optimization" if "ZERO" in node.targets[0].id else "-"
                keys.update((section, key.value) for key in node.value.keys)
        constants = of_file | constants
    for path, tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name in SECTIONS and "inference/v2" not in path:
                keys.update((SECTIONS[node.name], field) for field in fields(node))
            if isinstance(node, ast.FunctionDef) and node.name == "get_pipeline_config":
                keys.update(("pipeline", key) for key in defaults_of_dict(node, "default_pipeline"))
        for container, key in uses_of_keys(tree):
            constant, text = text_of(key, constants)
            if text is None or not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", text):
                continue
            section = section_of(constant) if constant else None
            if section and text != section and not constant.endswith("_DEFAULT"):
                keys.add((section, text))
            elif TOP_FILES.search(path) and ast.unparse(container) in TOP:
                keys.add(("-", text))
            if ast.unparse(container).endswith("_config.pipeline"):
                keys.add(("pipeline", text))
            if path.endswith("runtime/config.py") and ast.unparse(container) == "param_dict[OPTIMIZER]":
                keys.add(("optimizer", text))
    keys.update(("-", section.split(".")[0]) for section, _ in list(keys) if section != "-")
    return {("ds_config", *each) for each in keys}


def keys_of_a_class(cls):
    yield from fields(cls)
    for item in cls.body:
        if isinstance(item, ast.FunctionDef) and item.name in ("__init__", "__post_init__"):
            yield from (arg.arg for arg in item.args.args + item.args.kwonlyargs if arg.arg != "self")
            for container, key in uses_of_keys(item):
                if ast.unparse(container) == "kwargs" and isinstance(key, ast.Constant):
                    yield key.value
        if isinstance(item, ast.FunctionDef) and item.name == "to_dict":
            for node in ast.walk(item):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "hasattr":
                    yield node.args[1].value
        if isinstance(item, ast.Assign) and ast.unparse(item.targets[0]) == "attribute_map":
            yield from (key.value for key in item.value.keys)
        if isinstance(item, ast.AnnAssign) and ast.unparse(item.target) == "attribute_map":
            yield from (key.value for key in item.value.keys)


def keys_of_transformers(trees):
    classes = {}
    for path, tree in trees:
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, (path, node))
    keys = set()
    common = next(name for name in classes if name in ("PretrainedConfig", "PreTrainedConfig"))
    keys.update(("config.json", "-", key) for key in keys_of_a_class(classes[common][1]))
    for node in ast.walk(classes[common][1]):  # defaults of generation, which old files have here
        if isinstance(node, ast.FunctionDef) and "generation" in node.name:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Dict):
                    keys.update(("config.json", "-", key.value) for key in inner.keys if isinstance(key, ast.Constant))
    for type_, folder in TYPES.items():
        for path, node in classes.values():
            if not path.endswith(f"models/{folder}/configuration_{folder}.py"):
                continue
            own = [ast.literal_eval(item.value) for item in node.body if isinstance(item, ast.Assign)
                   and ast.unparse(item.targets[0]) == "model_type"]
            if own != [type_]:
                continue
            todo = [node]
            while todo:
                cls = todo.pop()
                keys.update(("config.json", type_, key) for key in keys_of_a_class(cls))
                bases = [ast.unparse(base) for base in cls.bases]
                todo += [classes[base][1] for base in bases if base in classes and base != common]
    return {each for each in keys if each[2] not in NOT_IN_FILES}


def main(archives):
    found, packages = set(), []
    for archive in archives:
        trees = list(sources(archive))
        packages.append(re.sub(r"(-py3.*\.whl|\.tar\.gz)$", "", archive.rsplit("/", 1)[-1]))
        found |= (keys_of_deepspeed if "deepspeed" in packages[-1] else keys_of_transformers)(trees)
    print("# Keys of configuration files, from list_known_keys.py:", ", ".join(packages))
    for each in sorted(found):
        print(*each)


if __name__ == "__main__":
    main(sys.argv[1:])
