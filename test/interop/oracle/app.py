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
from typing import Annotated, Any, Generic, Literal, Optional, TypeVar, Union
from uuid import UUID

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Query
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict, Field

from messages import ChatCompletionFunctionToolParam, MessageOrChoice

OLDER = os.environ.get("SVTRAIN_CONTRACT") == "2026-01"

app = FastAPI(title="Serverless Training", version="1.0.0")

# The bodies that got past validation, newest last; the recorder reads what they were turned into.
accepted: list[Any] = []


# Chat


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class ChatCompletionRequest(Open):
    model: str
    messages: list[dict[str, Any]]


class ChatMessage(Open):
    content: Any = None


class ChatChoice(Open):
    message: Optional[ChatMessage] = None


class ChatCompletionResponse(Open):
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

private = APIRouter(prefix="/v1", dependencies=[Depends(HTTPBearer())])
Limit = Annotated[int, Query(ge=1, le=100)]


def accept(read: Any, *, model: Any = None, job: Any = None):
    """No document states the answer for an unknown id, so this repeats the choice of the emulator."""
    accepted.append(read)
    if model is not None and str(model) != KNOWN.get("model", str(model)):
        raise HTTPException(404, "Model not found")
    if job is not None and job != KNOWN.get("job", job):
        raise HTTPException(404, "Training job not found")


@private.post("/chat/completions/")
@private.post("/chat/completions")
def create_chat_completion(body: ChatCompletionRequest) -> ChatCompletionResponse:
    accept(body)
    return {"choices": []}


@private.post("/preview/models")
def create_model(body: ModelCreate) -> ModelResponse:
    accept(body)
    entity = KNOWN.get("entity", "local-team") if body.entity is None else body.entity
    return {**body.model_dump(), "id": ID, "entity": entity}


@private.get("/preview/models/{model_id}/checkpoints")
def list_model_checkpoints(
    model_id: str,
    after: str = Query(None),
    limit: Limit = 20,
    order: Literal["asc", "desc"] = "asc",
) -> PaginatedResponse[CheckpointResponse]:
    accept(
        {"model_id": model_id, "after": after, "limit": limit, "order": order}, model=model_id
    )
    return EMPTY_PAGE


@private.delete("/preview/models/{model_id}/checkpoints")
def delete_model_checkpoints(
    model_id: str, body: DeleteCheckpointsRequest
) -> DeleteCheckpointsResponse:
    accept(body, model=model_id)
    return {"deleted_count": 0, "not_found_steps": list(dict.fromkeys(body.steps))}


@private.delete("/preview/models/{model_id}")
def delete_model(model_id: str) -> DeleteModelResponse:
    accept({"model_id": model_id}, model=model_id)
    return {"model_id": ID, "deleted_checkpoints": 0, "deleted_run": False}


@private.post("/preview/models/{model_id}/log")
def log(model_id: str, body: LogRequest):
    accept(body, model=model_id)


@private.post("/preview/training-jobs")
def create_rl_training_job(body: CreateTrainingJob) -> TrainingJobResponse:
    accept(body, model=body.model_id)
    return JOB


@private.post("/preview/sft-training-jobs")
def create_sft_training_job(body: CreateSFTTrainingJob) -> TrainingJobResponse:
    accept(body, model=body.model_id)
    return JOB


@private.get("/preview/training-jobs/{training_job_id}")
def get_training_job(training_job_id: str) -> TrainingJobResponse:
    accept({"training_job_id": training_job_id}, job=training_job_id)
    return JOB


@private.get("/preview/training-jobs/{training_job_id}/events")
def get_training_job_events(
    training_job_id: str, after: str = Query(None), limit: Limit = 20
) -> PaginatedResponse[TrainingJobEventResponse]:
    accept(
        {"training_job_id": training_job_id, "after": after, "limit": limit}, job=training_job_id
    )
    return EMPTY_PAGE


app.include_router(private)


@app.get("/v1/health")
def health_check():
    return {"status": "ok"}


@app.get("/v1/system-check")
def system_check():
    return {"api": True}


@app.get("/v1/preview/base-models")
def list_base_models() -> list[str]:
    return []
