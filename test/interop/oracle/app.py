"""The independent judge: the documented operations on the framework the service is built with.

What is of interest happens before the handlers run: which requests the framework turns away, with which
status, and in which words. Handlers repeat what they were sent as far as an answer has it, so that a
comparison sees how values are written. `SVTRAIN_CONTRACT=2026-01` gives the models that newer documents
replaced. `SVTRAIN_KNOWN` names the only model, job and entity; without it, every id is known.
"""

import json
import os
from datetime import datetime, timezone
from enum import Enum
from typing import Any, Generic, Literal, Optional, TypeVar, Union
from uuid import UUID

from fastapi import Depends, FastAPI, HTTPException, Query
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict, Field

from messages import ChatCompletionFunctionToolParam, MessageOrChoice

OLDER = os.environ.get("SVTRAIN_CONTRACT") == "2026-01"

app = FastAPI(title="Serverless Training", version="1.0.0")
key = Depends(HTTPBearer())

# The bodies that got past validation, newest last; the recorder reads what they were turned into.
accepted: list[Any] = []




# Chat


class ChatCompletionRequest(BaseModel):
    model_config = ConfigDict(extra="allow")
    model: str
    messages: list[dict[str, Any]]


class ChatMessage(BaseModel):
    model_config = ConfigDict(extra="allow")
    content: Any = None


class ChatChoice(BaseModel):
    model_config = ConfigDict(extra="allow")
    message: Optional[ChatMessage] = None


class ChatCompletionResponse(BaseModel):
    model_config = ConfigDict(extra="allow")
    choices: list[ChatChoice] = Field(default_factory=list)


# Pages


Item = TypeVar("Item")


class PaginatedResponse(BaseModel, Generic[Item]):
    object: str = "list"
    data: list[Item]
    first_id: str = ""
    last_id: str = ""
    has_more: bool


# Models and checkpoints


class ModelCreate(BaseModel):
    entity: Optional[str] = None
    project: str
    name: str
    base_model: str
    return_existing: bool = False


class ModelResponse(BaseModel):
    id: UUID
    entity: str
    project: str
    name: str
    base_model: str
    run_id: Optional[str] = None


class DeleteModelResponse(BaseModel):
    model_id: UUID
    deleted_checkpoints: int
    deleted_run: bool


class CheckpointResponse(BaseModel):
    id: UUID
    step: int
    metrics: dict[str, float]


class DeleteCheckpointsRequest(BaseModel):
    steps: list[int]


class DeleteCheckpointsResponse(BaseModel):
    deleted_count: int
    not_found_steps: list[int]


# Trajectories


class History(BaseModel):
    messages_and_choices: list[MessageOrChoice]
    tools: Optional[list[ChatCompletionFunctionToolParam]] = None


class OlderTrajectory(BaseModel):
    messages_and_choices: list[MessageOrChoice] = []
    tools: Optional[list[ChatCompletionFunctionToolParam]] = None
    additional_histories: list[History] = []
    reward: float = 0.0
    initial_policy_version: Optional[int] = None
    final_policy_version: Optional[int] = None
    metrics: dict[str, Union[float, int, bool]] = {}
    metadata: dict[str, Union[float, int, str, bool, None]] = {}
    logs: list[str] = []
    start_time: datetime = Field(default_factory=lambda: datetime.now(timezone.utc))


class OlderTrajectoryGroup(BaseModel):
    trajectories: list[OlderTrajectory]


class Trajectory(OlderTrajectory):
    metadata: dict[str, Any] = {}
    exchanges: dict[str, Any] = Field(default_factory=dict)


class PydanticException(BaseModel):
    type: str
    message: str
    traceback: str


class TrajectoryGroup(BaseModel):
    trajectories: list[Trajectory] = Field(default_factory=list)
    exceptions: list[PydanticException] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)
    metrics: dict[str, Union[float, int, bool]] = Field(default_factory=dict)
    logs: list[str] = Field(default_factory=list)


AnyTrajectoryGroup = OlderTrajectoryGroup if OLDER else TrajectoryGroup


class LogRequest(BaseModel):
    split: str
    trajectory_groups: list[AnyTrajectoryGroup]


# Training jobs


class ExperimentalTrainingConfig(BaseModel):
    advantage_balance: Optional[float] = None
    allow_training_without_logprobs: Optional[bool] = None
    epsilon: Optional[float] = None
    epsilon_high: Optional[float] = None
    importance_sampling_level: Optional[
        Literal["token", "sequence", "average", "geometric_average"]
    ] = None
    kimi_k2_tau: Optional[float] = None
    kl_penalty_coef: Optional[float] = None
    kl_penalty_reference_step: Optional[int] = None
    kl_penalty_source: Optional[Literal["current_learner", "sample"]] = None
    kl_penalty_step_lag: Optional[int] = None
    kl_ref_adapter_path: Optional[str] = None
    learning_rate: Optional[float] = None
    logprob_calculation_chunk_size: Optional[int] = None
    loss_fn: Optional[Literal["cispo", "ppo"]] = None
    mask_prob_ratio: Optional[bool] = None
    max_negative_advantage_importance_sampling_weight: Optional[float] = None
    normalize_advantages: Optional[bool] = None
    num_trajectories_learning_rate_multiplier_power: Optional[float] = None
    packed_sequence_length: Optional[int] = None
    plot_tensors: Optional[bool] = None
    ppo: Optional[bool] = None
    precalculate_logprobs: Optional[bool] = None
    scale_learning_rate_by_reward_std_dev: Optional[bool] = None
    scale_rewards: Optional[bool] = None
    truncated_importance_sampling: Optional[float] = None


class CreateTrainingJob(BaseModel):
    model_id: UUID
    trajectory_groups: list[AnyTrajectoryGroup]
    experimental_config: Optional[ExperimentalTrainingConfig] = None


class SFTMetricLoggingConfig(BaseModel):
    enabled: bool = False
    target_training_step: int = Field(default_factory=lambda: 1)


class OlderSFTTrainingConfig(BaseModel):
    batch_size: Union[int, Literal["auto"], None] = None
    learning_rate: Union[float, list[float], None] = None
    metric_logging: Optional[dict[str, Any]] = None


class SFTTrainingConfig(BaseModel):
    batch_size: Union[int, Literal["auto"], None] = None
    learning_rate: Union[float, list[float], None] = None
    assistant_turns: Literal["all", "last"] = "all"
    metric_logging: Optional[SFTMetricLoggingConfig] = None


class CreateSFTTrainingJob(BaseModel):
    model_id: UUID
    training_data_url: str
    config: Optional[OlderSFTTrainingConfig if OLDER else SFTTrainingConfig] = None
    experimental_config: Optional[dict[str, Any]] = None


class TrainingJobResponse(BaseModel):
    id: UUID


class TrainingJobEventType(str, Enum):
    TRAINING_STARTED = "training_started"
    GRADIENT_STEP = "gradient_step"
    TRAINING_ENDED = "training_ended"
    TRAINING_FAILED = "training_failed"


class TrainingJobEventResponse(BaseModel):
    id: UUID
    type: TrainingJobEventType
    data: dict[str, Any]


# Operations

ID = "0d2f7a1e-5a6b-4c3d-8e9f-000000000001"
JOB = {"id": ID}
EMPTY_PAGE = {"data": [], "has_more": False}
KNOWN = json.loads(os.environ.get("SVTRAIN_KNOWN", "{}"))


def check_model(model_id: Any):
    """No document states the answer for an unknown id, so this repeats the choice of the emulator."""
    if "model" in KNOWN and str(model_id) != KNOWN["model"]:
        raise HTTPException(404, "Model not found")


def check_job(job_id: str):
    if "job" in KNOWN and job_id != KNOWN["job"]:
        raise HTTPException(404, "Training job not found")


@app.post("/v1/chat/completions/", dependencies=[key], response_model=ChatCompletionResponse)
@app.post("/v1/chat/completions", dependencies=[key], response_model=ChatCompletionResponse)
def create_chat_completion(body: ChatCompletionRequest):
    accepted.append(body)
    return {"choices": []}


@app.post("/v1/preview/models", dependencies=[key], response_model=ModelResponse)
def create_model(body: ModelCreate):
    accepted.append(body)
    entity = KNOWN.get("entity", "local-team") if body.entity is None else body.entity
    return {**body.model_dump(), "id": ID, "entity": entity}


@app.get(
    "/v1/preview/models/{model_id}/checkpoints",
    dependencies=[key],
    response_model=PaginatedResponse[CheckpointResponse],
)
def list_model_checkpoints(
    model_id: str,
    after: str = Query(None),
    limit: int = Query(20, ge=1, le=100),
    order: Literal["asc", "desc"] = Query("asc"),
):
    accepted.append({"model_id": model_id, "after": after, "limit": limit, "order": order})
    check_model(model_id)
    return EMPTY_PAGE


@app.delete(
    "/v1/preview/models/{model_id}/checkpoints",
    dependencies=[key],
    response_model=DeleteCheckpointsResponse,
)
def delete_model_checkpoints(model_id: str, body: DeleteCheckpointsRequest):
    accepted.append(body)
    check_model(model_id)
    return {"deleted_count": 0, "not_found_steps": list(dict.fromkeys(body.steps))}


@app.delete("/v1/preview/models/{model_id}", dependencies=[key], response_model=DeleteModelResponse)
def delete_model(model_id: str):
    accepted.append({"model_id": model_id})
    check_model(model_id)
    return {"model_id": ID, "deleted_checkpoints": 0, "deleted_run": False}


@app.post("/v1/preview/models/{model_id}/log", dependencies=[key])
def log(model_id: str, body: LogRequest):
    accepted.append(body)
    check_model(model_id)
    return None


@app.post("/v1/preview/training-jobs", dependencies=[key], response_model=TrainingJobResponse)
def create_rl_training_job(body: CreateTrainingJob):
    accepted.append(body)
    check_model(body.model_id)
    return JOB


@app.post("/v1/preview/sft-training-jobs", dependencies=[key], response_model=TrainingJobResponse)
def create_sft_training_job(body: CreateSFTTrainingJob):
    accepted.append(body)
    check_model(body.model_id)
    return JOB


@app.get(
    "/v1/preview/training-jobs/{training_job_id}",
    dependencies=[key],
    response_model=TrainingJobResponse,
)
def get_training_job(training_job_id: str):
    accepted.append({"training_job_id": training_job_id})
    check_job(training_job_id)
    return JOB


@app.get(
    "/v1/preview/training-jobs/{training_job_id}/events",
    dependencies=[key],
    response_model=PaginatedResponse[TrainingJobEventResponse],
)
def get_training_job_events(
    training_job_id: str,
    after: str = Query(None),
    limit: int = Query(20, ge=1, le=100),
):
    accepted.append({"training_job_id": training_job_id, "after": after, "limit": limit})
    check_job(training_job_id)
    return EMPTY_PAGE


@app.get("/v1/health")
def health_check():
    return {"status": "ok"}


@app.get("/v1/system-check")
def system_check():
    return {"api": True}


@app.get("/v1/preview/base-models")
def list_base_models() -> list[str]:
    return []
